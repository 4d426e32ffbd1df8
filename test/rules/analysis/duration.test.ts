import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { inOneUnit, msOfText } from "../../../rules/analysis/duration.js";
import { messagesOf } from "../require-timeout-below-retry-after/cases.js";

const words = {
  ms: ["ms", "msec", "millis", "millisecond", "milliseconds"],
  s: ["s", "sec", "secs", "second", "seconds"],
  min: ["m", "min", "mins", "minute", "minutes"],
  h: ["h", "hr", "hrs", "hour", "hours"],
  d: ["d", "day", "days"],
} as const;
const size = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof size;

const unit = fc.constantFrom(...(Object.keys(size) as Unit[]));
const amount = fc.integer({ min: 1, max: 10_000 });
const written = unit.chain((name) =>
  fc.tuple(fc.constant(name), fc.constantFrom(...words[name]), fc.constantFrom("", " ")),
);

describe("a text that means a duration", () => {
  test("is an amount and a word, with a space or without, in any case of letters", () => {
    fc.assert(
      fc.property(amount, written, fc.boolean(), (count, [name, word, space], isUpper) => {
        const text = `${String(count)}${space}${isUpper && word !== "m" ? word.toUpperCase() : word}`;
        expect(msOfText(text, "written")).toBe(count * size[name]);
      }),
    );
  });

  test("may be several of them, which add up", () => {
    fc.assert(
      fc.property(
        amount,
        amount,
        written,
        written,
        fc.constantFrom(" ", ", ", " and "),
        (a, b, one, other, between) => {
          const text = `${String(a)}${one[2]}${one[1]}${between}${String(b)}${other[2]}${other[1]}`;
          expect(msOfText(text, "written")).toBe(a * size[one[0]] + b * size[other[0]]);
        },
      ),
    );
  });

  test("may be ISO 8601", () => {
    fc.assert(
      fc.property(fc.nat(400), fc.nat(99), fc.nat(99), fc.nat(99), (days, hours, minutes, seconds) => {
        const text = `P${String(days)}DT${String(hours)}H${String(minutes)}M${String(seconds)}S`;
        expect(msOfText(text, "written")).toBe(days * size.d + hours * size.h + minutes * size.min + seconds * size.s);
      }),
    );
    expect(msOfText("PT1M", "written")).toBe(60_000);
    expect(msOfText("PT0.5S", "written")).toBe(500);
    expect(msOfText("P1W", "written")).toBe(7 * size.d);
  });

  test("may be digits alone, which count in the unit of the place, where it has one", () => {
    fc.assert(
      fc.property(amount, unit, (count, name) => {
        expect(msOfText(String(count), name)).toBe(count * size[name]);
        expect(msOfText(String(count), "written")).toBeUndefined();
      }),
    );
    expect(msOfText("30000", "ns")).toBeCloseTo(0.03);
  });

  test("is nothing else", () => {
    for (const text of [
      "",
      " ",
      "soon",
      "5 parsecs",
      "P",
      "PT",
      "1_000",
      "s5",
      "5m and",
      "--5s",
      "1e3",
      "every 5 minutes",
      "5:30",
    ]) {
      expect(msOfText(text, "s"), text).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = msOfText(text, "ms");
        expect(ms === undefined || Number.isFinite(ms)).toBe(true);
      }),
    );
  });
});

describe("durations in one unit", () => {
  test("can be read back, and stay in their order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 1, max: 10 ** 9 }), (a, b) => {
        const texts = inOneUnit(a, b);
        expect(texts.map((text) => msOfText(text, "written"))).toEqual([a, b]);
        expect(new Set(texts.map((text) => text.split(" ")[1])).size).toBe(1);
      }),
    );
  });

  test("take the largest unit in which they are whole", () => {
    expect(inOneUnit(45_000, 30_000)).toEqual(["45 s", "30 s"]);
    expect(inOneUnit(90_000, 60_000)).toEqual(["90 s", "60 s"]);
    expect(inOneUnit(1_200_000, 900_000)).toEqual(["20 min", "15 min"]);
    expect(inOneUnit(6 * 3_600_000, 4 * 3_600_000)).toEqual(["6 h", "4 h"]);
    expect(inOneUnit(25, 30_000)).toEqual(["25 ms", "30000 ms"]);
    expect(inOneUnit(0.03, 0.03)).toEqual(["0.03 ms", "0.03 ms"]);
  });
});

describe("milliseconds and seconds", () => {
  test("are compared as durations, whatever they are written in", () => {
    const ways: ((ms: number) => string)[] = [
      (ms) => String(ms),
      (ms) => `${String(ms)} * 1`,
      (ms) => `(${String(ms * 2)}) / 2`,
      (ms) => `Number("${String(ms)}")`,
      (ms) => `${String(ms - 1)} + 1`,
    ];
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 120_000 }),
        fc.integer({ min: 1, max: 120 }),
        fc.constantFrom(...ways),
        (timeout, lease, write) => {
          const messages = messagesOf(`import { Consumer } from "sqs-consumer";
Consumer.create({ queueUrl: "x", handleMessage, handleMessageTimeout: ${write(timeout)}, visibilityTimeout: ${String(lease)} });`);
          expect(messages.length).toBe(timeout >= lease * 1000 ? 1 : 0);
        },
      ),
      { numRuns: 60 },
    );
  });
});
