import * as queries from '@daybook/api/queries'
import { DaybookClientError } from '../client-error.ts'

/**
 * The receipt of a write: the sequence of its event in the project's journal, and the hash of that event. It
 * names exactly this event. Whoever reads with it, here or elsewhere, sees the write, or learns that it is lost.
 */
export interface Receipt {
  readonly sequence: number
  readonly hash: string
}

/** Arguments of a field that waits for a write. */
export interface PlaceArguments {
  readonly atLeast?: number
  readonly atLeastHash?: string
}

/** Asks for nothing but to wait, where its id is empty: reading a memory counts as an access. */
export const READABLE = queries.memory('id')

/** Lets a client read its own writes: the newest one of its project. */
export interface OwnWrites {
  note(written: Receipt): void
  /**
   * Reads what includes a write.
   * @param atLeast the write; null for none; absent for the newest of one's own
   * @throws what `read` throws. That the write is lost (DIVERGED) is reported once, and later reads go on without it
   */
  reading<Result>(
    atLeast: Receipt | null | undefined,
    read: (place: PlaceArguments) => Promise<Result>,
  ): Promise<Result>
  /**
   * The same for fields that do not wait by themselves. It waits before it reads, if the write is not known to be
   * readable.
   */
  readingAfter<Result>(atLeast: Receipt | null | undefined, read: () => Promise<Result>): Promise<Result>
}

/** @param waitFor waits until the place is readable, by the document `READABLE` */
export function createOwnWrites(
  isOn: boolean,
  waitFor: (place: PlaceArguments) => Promise<unknown>,
): OwnWrites {
  let newest: Receipt | null = null
  /** Up to here the project is known to be readable. */
  let readable = 0
  const reading: OwnWrites['reading'] = async (atLeast, read) => {
    const receipt = atLeast === undefined ? newest : atLeast
    try {
      return await read(receipt === null ? {} : { atLeast: receipt.sequence, atLeastHash: receipt.hash })
    } catch (error) {
      if (error instanceof DaybookClientError && error.code === 'DIVERGED' && newest === receipt)
        newest = null
      throw error
    }
  }
  return {
    note({ sequence, hash }) {
      if (isOn && sequence > (newest?.sequence ?? 0)) newest = { sequence, hash }
    },
    reading,
    async readingAfter(atLeast, read) {
      const wanted = (atLeast === undefined ? newest : atLeast)?.sequence ?? 0
      if (wanted > readable) {
        await reading(atLeast, waitFor)
        readable = Math.max(readable, wanted)
      }
      return read()
    },
  }
}
