import type { Embedders } from '@daybook/embeddings/embedders'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import { withTimeout } from '@daybook/runtime/with-timeout'
import { PROJECTIONS } from '../projection-names.ts'
import { type CheckedParts, type Finding, ok, warning, worst } from './check.ts'

/** The longest that embedding one text may take, in milliseconds. Loading a model takes a second or two. */
const ANSWER_MS = 8_000

/**
 * Checks that queries can be embedded with the models of the live generations. If not, that is a warning: searches go
 * by words, and writes succeed. `/ready` names the same problem.
 */
export async function checkEmbedder({ db, embedders, config }: CheckedParts): Promise<Finding> {
  if (config.embedder === 'none')
    return warning(
      'There is no embedder: memories are found by their words and not by meaning',
      'Set DAYBOOK_EMBEDDER=minilm and restart, if that is not what you want',
    )
  const findings: Finding[] = []
  const models = new Set<string>()
  for (const name of PROJECTIONS) {
    const live = await liveGeneration(db, name)
    if (live === null) continue
    if (!models.has(live.modelId)) findings.push(await tryModel(embedders, live.modelId))
    models.add(live.modelId)
    if (live.modelId !== embedders.preferred.modelId)
      findings.push(
        warning(
          `The live generation of ${name} holds vectors of ${live.modelId}, and DAYBOOK_EMBEDDER is ${config.embedder}`,
          `Make them anew:  daybook reindex ${name} --model ${config.embedder}  – or set DAYBOOK_EMBEDDER back`,
        ),
      )
  }
  return worst(findings, findings[0] ?? ok('Nothing has vectors yet'))
}

async function tryModel(embedders: Embedders, modelId: string): Promise<Finding> {
  const advice =
    'Memories are found by their words only until that is mended. Check DAYBOOK_EMBEDDER and its settings, then restart or wait: vectors follow by themselves'
  try {
    const startedAt = performance.now()
    const embedder = await withTimeout(ANSWER_MS, embedders.of(modelId))
    if (embedder === null) return warning(`This gateway has no embedder for ${modelId}`, advice)
    // Without a project nothing is remembered, so the model itself answers.
    await withTimeout(ANSWER_MS, embedder.embedQuery('check'))
    return ok(`${modelId} makes a vector in ${(performance.now() - startedAt).toFixed(0)} ms`)
  } catch (error) {
    return warning(`${modelId} makes no vectors: ${reasonOf(error)}`, advice)
  }
}
