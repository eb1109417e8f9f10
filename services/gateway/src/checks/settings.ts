import { liveGeneration } from '@daybook/projection/generations/generations'
import { TYPESENSE } from '@daybook/typesense/write/generation'
import { type CheckedParts, type Finding, ok, warning, worst } from './check.ts'

/** Settings of this process that do not fit together, or not what is there. */
export async function checkSettings({ db, config }: CheckedParts): Promise<Finding> {
  return judgeSettings(config, { postsTypesense: (await liveGeneration(db, TYPESENSE)) !== null })
}

export function judgeSettings(
  { databaseUrl, nats, typesense, embedder, modelDir }: CheckedParts['config'],
  { postsTypesense }: { postsTypesense: boolean },
): Finding {
  const findings: Finding[] = []
  if (typesense === undefined && postsTypesense)
    findings.push(
      warning(
        'There is a Typesense projection, but this gateway has no TYPESENSE_URL: it does not search there',
        'Set TYPESENSE_URL and TYPESENSE_API_KEY for every process, or for none',
      ),
    )
  if (typesense !== undefined && !postsTypesense)
    findings.push(
      warning(
        'TYPESENSE_URL is set, but nothing has ever been written there: Postgres answers searches',
        'Start its projector:  npm run start:projector-typesense',
      ),
    )
  if (nats !== undefined && databaseUrl === undefined)
    findings.push(
      warning(
        'NATS_URL is set, but the database is the embedded one, which no other process can use: NATS brings nothing',
        'Set DATABASE_URL too, or leave NATS_URL out',
      ),
    )
  if (modelDir !== undefined && embedder !== 'minilm')
    findings.push(
      warning(
        `DAYBOOK_MODEL_DIR is set, but DAYBOOK_EMBEDDER is ${embedder}: the folder is not used`,
        'Leave one of them out',
      ),
    )
  return worst(findings, ok('They fit together'))
}
