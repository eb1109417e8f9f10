import { ENGINES } from '@daybook/engines/engines'
import type { Engine } from '@daybook/projection/engine/engine'
import { liveGeneration } from '@daybook/projection/generations/generations'
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
