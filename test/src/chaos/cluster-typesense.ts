import {
  type NativeTypesense,
  nativeTypesenseProgram,
  startNativeTypesense,
} from '@daybook/typesense-double/native-typesense'
import { startTypesenseDouble, type TypesenseDouble } from '@daybook/typesense-double/start-typesense-double'

/** The Typesense of a cluster. It stops with the cluster. */
export type TypesenseServer = Pick<TypesenseDouble, 'url' | 'apiKey' | 'stop'>

/**
 * A Typesense that a run may damage: the double in this process, or a real server in its own; the other is
 * null.
 */
export interface ClusterTypesense extends TypesenseServer {
  readonly double: TypesenseDouble | null
  readonly native: NativeTypesense | null
}

/** Starts a real server if `DAYBOOK_TYPESENSE_SERVER` names its program, else the double. */
export async function startClusterTypesense(): Promise<ClusterTypesense> {
  if (nativeTypesenseProgram() !== null) {
    const native = await startNativeTypesense()
    return { url: native.url, apiKey: native.apiKey, stop: native.stop, double: null, native }
  }
  const double = await startTypesenseDouble({ apiKey: 'a-key-for-tests' })
  return { url: double.url, apiKey: double.apiKey, stop: double.stop, double, native: null }
}

/** Which Typesense a run uses, for its first line. */
export const typesenseInWords = () => nativeTypesenseProgram() ?? 'the double of Typesense'
