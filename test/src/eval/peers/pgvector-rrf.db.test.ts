import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { needing } from '@daybook/runtime/testing/needing'
import { expect } from 'vitest'
import { pgvectorPeer } from './pgvector-rrf.ts'

const TEXTS = [
  'Our cat sleeps on the warm radiator all winter.',
  'The invoice of March was paid twice.',
  'Deployments happen on Tuesdays.',
]

needing(OWN_POSTGRES).test(
  'pgvector finds by words and by meaning, in a store that begins empty',
  async () => {
    const peer = await pgvectorPeer()
    try {
      const first = await peer.open('first')
      await first.store(TEXTS.map((text, index) => ({ id: `m${index}`, text, input: {} })))
      expect((await first.search('invoice', 10))[0]).toBe('m1')
      // No word in common, in any form.
      expect((await first.search('feline resting place', 10))[0]).toBe('m0')
      expect(await first.search('which day do we release?', 1)).toEqual(['m2'])
      const second = await peer.open('second')
      expect(await second.search('invoice', 10)).toEqual([])
    } finally {
      await peer.close()
    }
  },
)
