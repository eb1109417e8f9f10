import { readEnd } from '@daybook/journal/read/read'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { z } from 'zod'
import { readHomeState } from './home-state.ts'

/** The form of what a home says of a project before it is followed. */
export const homeInfo = z.object({
  project: z.object({ id: z.uuid(), name: shortString(LIMITS.nameCharacters) }),
  epoch: z.int32(),
  minimumReader: z.int32(),
  head: z.object({ sequence: z.int32(), hash: z.string() }),
  /** Where its home is, if that is not the one that answers. */
  movedTo: z.string().nullable(),
})

/** What a home says of a project. */
export type HomeInfo = z.infer<typeof homeInfo>

/** Reads it. */
export async function readHomeInfo(scope: ProjectScope): Promise<HomeInfo> {
  const { project, epoch, minimumReader, movedTo } = await readHomeState(scope)
  return { project, epoch, minimumReader, movedTo, head: await readEnd(scope) }
}
