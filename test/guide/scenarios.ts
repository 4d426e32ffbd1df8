/** The names of tests in a file that have a scenario's id in them. */
export function namesIn(text: string): string {
  return [...text.matchAll(/"([^"\n]*\b[A-Z]{2}-\d\d\b[^"\n]*)"/g)].map(([, name = ""]) => name).join("\n");
}

/** Whether the id stands in a test's name, alone or in a range such as "LG-01 to LG-04". */
export function covers(names: string, id: string): boolean {
  if (names.includes(id)) return true;
  const [letters = "", number = ""] = id.split("-");
  return [...names.matchAll(new RegExp(`${letters}-(\\d\\d) to ${letters}-(\\d\\d)`, "g"))].some(
    ([, from = "", to = ""]) => from <= number && number <= to,
  );
}
