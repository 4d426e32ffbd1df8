import { libraries } from "./catalogue/index.js";
import { knowledgeOf } from "./analysis/analysis.js";
import type { Knowledge } from "./analysis/knowledge.js";

/** The catalogue together with what `settings.aftercommit` adds to it. */
export function knowledgeFor(_settings: unknown): Knowledge {
  return knowledgeOf(libraries);
}
