import { expect, test } from "vitest";
import { z } from "zod";
import { InvalidPayloadError } from "../src/errors.js";
import { packPayload, unpackPayload, type StandardSchema } from "../src/standard-schema.js";

const schema = z.object({ at: z.iso.datetime().transform((text) => new Date(text)) });

test("what is packed is the payload as it was given; what is unpacked is what the schema makes of it", async () => {
  const { body, value } = await packPayload("q", schema, { at: "2026-11-30T00:00:00Z" });
  expect(body).toBe('{"at":"2026-11-30T00:00:00Z"}');
  expect(value).toEqual({ at: new Date("2026-11-30T00:00:00Z") });
  expect(await unpackPayload("q", schema, body)).toEqual({ at: new Date("2026-11-30T00:00:00Z") });
});

test("a schema may take its time", async () => {
  const slow: StandardSchema = {
    "~standard": { version: 1, vendor: "test", validate: async (value) => Promise.resolve({ value }) },
  };
  const packed = packPayload("q", slow, 7);
  expect(packed).toBeInstanceOf(Promise);
  expect((await packed).body).toBe("7");
});

test.each(["{", '{"at":"yesterday"}'])("%s does not arrive", async (body) => {
  await expect(unpackPayload("q", schema, body)).rejects.toThrow(InvalidPayloadError);
});
