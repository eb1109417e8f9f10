import { useState } from 'preact/hooks'
import { type ApiKey, setKeyTrust, type TrustLevel } from '../api/keys.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { TRUST_LEVELS } from './trust-levels.ts'

/** Says how far a key is trusted: at once, for all that it ever wrote. */
export function TrustChoice({
  of: { id, name, trust },
  onChange,
}: {
  readonly of: ApiKey
  onChange(): void
}) {
  const [failure, setFailure] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const choose = async (level: TrustLevel) => {
    setBusy(true)
    setFailure(null)
    try {
      await setKeyTrust(id, level)
      onChange()
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }
  return (
    <>
      <select
        aria-label={`Trust of ${name}`}
        value={trust}
        disabled={busy}
        onChange={(event) => void choose(event.currentTarget.value as TrustLevel)}
      >
        {TRUST_LEVELS.map(({ level, name: word, meaning }) => (
          <option key={level} value={level} title={meaning}>
            {word}
          </option>
        ))}
      </select>
      {failure !== null && <ErrorNotice error={failure} />}
    </>
  )
}
