import { silentLogger } from '@daybook/runtime/logger'
import { afterAll, describe } from 'vitest'
import { describeBus } from './bus.contract.ts'
import type { Bus } from './bus.ts'
import { openJetStreamBus } from './jetstream-bus.ts'
import { ownStream, removeStream, testNatsUrl } from './testing/test-nats.ts'

const url = testNatsUrl()

describe.skipIf(url === undefined)('on a NATS server', () => {
  const streams: string[] = []
  afterAll(() => Promise.all(streams.map(removeStream)))

  describeBus({
    name: 'JetStream',
    async open(): Promise<Bus> {
      const stream = ownStream()
      streams.push(stream.name)
      return openJetStreamBus({ url: url ?? '', stream, logger: silentLogger })
    },
  })
})
