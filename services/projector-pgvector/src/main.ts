import { pgvectorEngine } from '@daybook/pgvector/engine'
import { runProjector } from '@daybook/process/run-projector'
import { DEFAULT_PORTS } from '@daybook/runtime/config'

/* `npm run start:projector-pgvector`: writes the Postgres read model. Run as many as you like. */

await runProjector(pgvectorEngine, DEFAULT_PORTS['projector-pgvector'])
