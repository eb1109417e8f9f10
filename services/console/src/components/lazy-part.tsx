import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ErrorNotice } from './error-notice.tsx'

/** A component whose code is loaded when it is first shown. */
export function lazyPart<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): ComponentType<Props> {
  return function LazyPart(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(null)
    const [failure, setFailure] = useState<unknown>(null)
    useEffect(() => {
      load().then((loaded) => setPart(() => loaded.default), setFailure)
    }, [])
    if (failure !== null) return <ErrorNotice error={failure} />
    return Part === null ? <p class="loading">Loading …</p> : <Part {...props} />
  }
}
