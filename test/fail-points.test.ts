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
