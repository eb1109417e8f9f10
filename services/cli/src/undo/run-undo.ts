import type { UndoAsked } from '@daybook/client/documents/undo'
import { confirm } from '../confirm.ts'
import { watchOperations } from '../operations/run-operations.ts'
import { print, printJson } from '../output/print.ts'
import type { Connection } from '../settings.ts'
import { renderPlan } from './render-plan.ts'
import { planUndo, startUndo } from './undo-documents.ts'

/** How an undo is run. */
export interface UndoChoices {
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly detach?: boolean
}

/** Shows what an undo would do, asks, does it and shows its progress. @throws what `request` throws */
export async function runUndo(
  asked: UndoAsked,
  { dryRun = false, yes = false, detach = false }: UndoChoices,
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  const plan = await planUndo(connection, asked)
  const onlyShow = dryRun || (json && !yes)
  if (json && onlyShow) return printJson({ plan })
  if (!json) print(renderPlan(plan))
  if (onlyShow || plan.changed === 0) return json ? printJson({ plan }) : undefined
  await confirm(`Undo this, in ${plan.changed} ${plan.changed === 1 ? 'memory' : 'memories'}?`, yes)
  await watchOperations([await startUndo(connection, asked)], { connection, json, detach })
}
