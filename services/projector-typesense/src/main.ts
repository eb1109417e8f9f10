import { runProjector } from '@daybook/process/run-projector'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { typesenseEngine } from '@daybook/typesense/engine'

/* `npm run start:projector-typesense`: writes the Typesense read model. Run as many as you like. */

await runProjector(typesenseEngine, DEFAULT_PORTS['projector-typesense'])
