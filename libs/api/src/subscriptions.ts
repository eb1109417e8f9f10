/* A function for each field, from what is selected of its result to the document. Written by `npm run schema`. */
import { rootField } from './root-field.ts'

export const ask = /* @__PURE__ */ rootField('subscription Ask($filter: MemoryFilter, $language: String, $pipeline: AskPipeline, $question: String!, $tokenBudget: Int) { ask(filter: $filter, language: $language, pipeline: $pipeline, question: $question, tokenBudget: $tokenBudget)')
export const events = /* @__PURE__ */ rootField('subscription Events($after: Int, $afterHash: String, $filter: MemoryFilter) { events(after: $after, afterHash: $afterHash, filter: $filter)')
export const memoryMatched = /* @__PURE__ */ rootField('subscription MemoryMatched($filter: MemoryFilter, $minScore: Float, $query: String!) { memoryMatched(filter: $filter, minScore: $minScore, query: $query)')
export const operation = /* @__PURE__ */ rootField('subscription Operation($id: ID!) { operation(id: $id)')
