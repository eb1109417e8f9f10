import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import type { PeerMemory } from '../eval/peers/peer.ts'
import { miniLmVectors } from '../eval/peers/vectors.ts'

const DIMENSION = 384
const BATCH = 500

/** Vectors of memories by their texts. */
export type KnownVectors = ReadonlyMap<string, Float32Array>

/**
 * Embeds texts once for all peers with the same model, and keeps the vectors in a file for the next run, so that only Daybook, which
 * takes no vectors from outside, embeds them again. Peers get no vectors where that is measured.
 */
export async function embedOnce(
  memories: readonly PeerMemory[],
  report: (line: string) => void,
): Promise<KnownVectors> {
  const texts = [...new Set(memories.map(({ text }) => text))]
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
  const file = join(testCacheDir(), `contest-${hash}.f32`)
  if (!existsSync(file)) {
    report(`embedding ${texts.length} texts once, for all peers with this model but Daybook`)
    const vectors = miniLmVectors()
    const all: number[] = []
    for (let from = 0; from < texts.length; from += BATCH) {
      const batch = texts.slice(from, from + BATCH).map((text) => ({ text }))
      for (const vector of await vectors.ofMemories(batch)) for (const value of vector) all.push(value)
    }
    await vectors.close()
    mkdirSync(testCacheDir(), { recursive: true })
    writeFileSync(file, new Uint8Array(Float32Array.from(all).buffer))
  }
  const { buffer, byteOffset } = readFileSync(file)
  const known = buffer.slice(byteOffset)
  return new Map(
    texts.map((text, index) => [text, new Float32Array(known, index * DIMENSION * 4, DIMENSION)]),
  )
}

/** The memories with their vectors, where these are known. */
export const withVectors = (known: KnownVectors, memories: readonly PeerMemory[]): PeerMemory[] =>
  memories.map((memory) => {
    const vector = known.get(memory.text)
    return vector === undefined ? memory : { ...memory, vector: Array.from(vector) }
  })
