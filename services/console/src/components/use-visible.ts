import { useEffect, useState } from 'preact/hooks'

const isVisible = () => document.visibilityState === 'visible'

/** Whether somebody may be looking: not while the tab is in the background. */
export function useVisible(): boolean {
  const [visible, setVisible] = useState(isVisible)
  useEffect(() => {
    const update = () => setVisible(isVisible())
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  return visible
}
