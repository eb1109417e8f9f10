import { lockProject } from '@daybook/journal/append/batch-context'
import { DaybookError } from '@daybook/memory/errors'
import { hashOfKey } from '@daybook/postgres/access/api-keys'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { z } from 'zod'
import { insertFollowed, readFollowed, updateFollowed } from '../follower/followed-projects.ts'
import { type NextHomes, requireNextHome } from './home-state.ts'

/** The form of a request to give the home of a project to the Daybook that asks. */
export const handOverAsked = z.strictObject({
  /** The epoch that begins there. */
  epoch: z.int32().min(2),
  /** The new home's address and a key that opens the project there. */
  url: z
    .url({ protocol: /^https?$/u })
    .max(1_000)
    .transform((url) => url.replace(/\/+$/u, '')),
  key: z.string().regex(/^[!-~]{1,255}$/u),
  /**
   * The last event that the new home has, which must be the journal's end; null if it became the home without asking, because
   * this one was lost: then what only this one has becomes a branch.
   */
  at: z.strictObject({ sequence: z.int32().min(0), hash: z.string() }).nullable(),
})

/** A request to hand over. */
export type HandOverAsked = z.infer<typeof handOverAsked>

/** The form of the answer. */
export const handOverAnswered = z.object({
  /** Whether this journal follows the new home now. If not, it has gone on meanwhile. */
  handedOver: z.boolean(),
  head: z.object({ sequence: z.int32(), hash: z.string() }),
})

/**
 * Makes this journal a copy that follows a new home, if it ends where that one has got. From the commit on, nothing is
 * appended here. Asked again, it says the same.
 * @throws what `requireNextHome` throws; DaybookError REFUSED if the project has its home elsewhere, or was in that epoch before
 */
export async function handOver(
  { db, projectId }: ProjectScope,
  { epoch, url, key, at }: HandOverAsked,
  next: NextHomes,
): Promise<z.infer<typeof handOverAnswered>> {
  await requireNextHome(url, next)
  return db.transaction().execute(async (trx) => {
    // Before anything is read: who asks a second time while the first is answered must find what that made. It was refused, gave up
    // what it had been given, and each Daybook followed the other.
    await sql`select from journal_heads where project_id = ${projectId} for update`.execute(trx)
    const followed = await readFollowed({ db: trx, projectId })
    const home = { url, key }
    if (followed !== null) {
      if (followed.home.url !== home.url)
        throw new DaybookError(
          'REFUSED',
          `This Daybook is not the home of the project: it follows ${followed.home.url}`,
        )
      if (!hashOfKey(followed.home.key).equals(hashOfKey(key)))
        await updateFollowed({ db: trx, projectId }, { home })
      return { handedOver: true, head: followed.copied }
    }
    const { sequence, hash, epoch: current } = await lockProject(trx, projectId)
    if (epoch <= current)
      throw new DaybookError(
        'REFUSED',
        `This journal is in epoch ${current} already, so epoch ${epoch} cannot begin elsewhere: its home has changed since`,
      )
    const head = { sequence, hash }
    if (at !== null && (at.sequence !== sequence || at.hash !== hash)) return { handedOver: false, head }
    await insertFollowed(trx, projectId, home, {
      copied: head,
      rule: 'LATEST_WINS',
      mayGoBack: at === null,
    })
    return { handedOver: true, head }
  })
}
