import type { Embedders } from '@daybook/embeddings/embedders'
import { ENGINES, PROJECTIONS } from '@daybook/engines/engines'
import type { Engine } from '@daybook/projection/engine/engine'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import { withTimeout } from '@daybook/runtime/timers'
import { type CheckedParts, type Finding, ok, warning, worst } from './check.ts'

/** Finds settings of this process that contradict each other, or the database's content. */
export async function checkSettings({ db, config }: CheckedParts): Promise<Finding> {
  const written = await Promise.all(
    ENGINES.map(async ({ name }) => ((await liveGeneration(db, name)) === null ? [] : [name])),
  )
  return judgeSettings(config, ENGINES, written.flat())
}

/** @param written the names of the engines that were ever written to */
export function judgeSettings(
  config: CheckedParts['config'],
  engines: readonly Pick<Engine, 'name' | 'title' | 'setting' | 'isConfigured'>[],
  written: readonly string[],
): Finding {
  const { databaseUrl, nats, embedder, modelDir } = config
  const findings: Finding[] = []
  for (const { name, title, setting, isConfigured } of engines) {
    if (setting === null || isConfigured(config) === written.includes(name)) continue
    findings.push(
      isConfigured(config)
        ? warning(
            `${setting} is set, but nothing has ever been written there: Postgres answers searches`,
            `Start its projector:  npm run start:projector-${name}`,
          )
        : warning(
            `There is a ${title} projection, but this gateway has no ${setting}: it does not search there`,
            `Set ${setting}, and the settings that go with it, for every process, or for none`,
          ),
    )
  }
  if (nats !== undefined && databaseUrl === undefined)
    findings.push(
      warning(
        'NATS_URL is set, but the database is the embedded one, which no other process can use: NATS brings nothing',
        'Set DATABASE_URL too, or leave NATS_URL out',
      ),
    )
  if (modelDir !== undefined && !embedder.startsWith('minilm'))
    findings.push(
      warning(
        `DAYBOOK_MODEL_DIR is set, but DAYBOOK_EMBEDDER is ${embedder}: the folder is not used`,
        'Leave one of them out',
      ),
    )
  return worst(findings, ok('They fit together'))
}

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
          `Make them again:  daybook reindex ${name} --model ${config.embedder}  – or set DAYBOOK_EMBEDDER back`,
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
