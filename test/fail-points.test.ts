import { afterEach, beforeEach, expect, test, vi } from "vitest";

let killed: unknown[];

beforeEach(() => {
  killed = [];
  vi.resetModules();
  vi.spyOn(process, "kill").mockImplementation((_, signal) => {
    killed.push(signal);
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function passing(point: string | undefined, environment = "test") {
  vi.stubEnv("AFTERCOMMIT_FAIL_POINT", point);
  vi.stubEnv("NODE_ENV", environment);
  const { failPoint } = await import("../src/fail-points.js");
  return failPoint("relay:after-send");
}

test("without the variable nothing happens", async () => {
  expect(await passing(undefined)).toBeUndefined();
  expect(await passing("relay:before-send")).toBeUndefined();
  expect(killed).toEqual([]);
});

test("the point that is named kills the process", async () => {
  void passing("relay:after-send");
  await vi.waitFor(() => {
    expect(killed).toEqual(["SIGKILL"]);
  });
});

test("in production nothing happens", async () => {
  expect(await passing("relay:after-send", "production")).toBeUndefined();
  expect(killed).toEqual([]);
});

test("a number after the name lets the process pass before", async () => {
  vi.stubEnv("AFTERCOMMIT_FAIL_POINT", "ledger:after-record#3");
  const { failPoint } = await import("../src/fail-points.js");
  expect(failPoint("ledger:after-record")).toBeUndefined();
  expect(failPoint("worker:after-handler")).toBeUndefined();
  expect(failPoint("ledger:after-record")).toBeUndefined();
  expect(killed).toEqual([]);
  void failPoint("ledger:after-record");
  expect(killed).toEqual(["SIGKILL"]);
});
