import { silentLogger } from '@daybook/runtime/logger'
import { openJetStreamBus } from '@daybook/transport/jetstream/jetstream-bus'

/* Prints what a service with this environment finds at NATS_URL: Node reads NODE_EXTRA_CA_CERTS only when it starts. */

const bus = await openJetStreamBus({ url: process.env['NATS_URL'] ?? '', logger: silentLogger })
console.log(JSON.stringify(await bus.status()))
await bus.close()
