/**
 * Keeps a thread from being ended in the middle of ONNX Runtime. Its native code throws when it
 * returns to a thread that is being stopped. Nobody can catch that, and the **whole process aborts**
 * ("terminate called after throwing an instance of 'Napi::Error'"). Seen with onnxruntime-node 1.30 on
 * `Worker.terminate()` and on `process.exit()`.
 *
 * It is one shared number: free → busy → free while the worker computes; free → shut, once, before the thread
 * is ended. It changes only by compare-and-exchange, so that the worker never enters after the main thread
 * has shut it.
 */
export type NativeGate = Int32Array<SharedArrayBuffer>

const FREE = 0
const BUSY = 1
const SHUT = 2

/** A free gate. */
export const createNativeGate = (): NativeGate => new Int32Array(new SharedArrayBuffer(4))

/**
 * Runs native code in the worker. Once the gate is shut, it does not run, and the promise stays pending: the
 * thread ends.
 */
export async function throughGate<T>(gate: NativeGate, run: () => Promise<T>): Promise<T> {
  if (Atomics.compareExchange(gate, 0, FREE, BUSY) === SHUT) return new Promise<never>(() => {})
  try {
    return await run()
  } finally {
    Atomics.compareExchange(gate, 0, BUSY, FREE)
    Atomics.notify(gate, 0)
  }
}

/**
 * Shuts the gate, and waits while the worker is in native code (a batch takes 0.1 s, loading 0.3 s). It
 * blocks the calling thread. Use it only at the very end of a process, or for a worker that does not end by
 * itself.
 *
 * @param timeout milliseconds, default 2,000
 * @returns false if the worker was still busy after that
 */
export function shutGate(gate: NativeGate, timeout = 2000): boolean {
  const deadline = Date.now() + timeout
  while (Atomics.compareExchange(gate, 0, FREE, SHUT) === BUSY) {
    const left = deadline - Date.now()
    if (left <= 0) return false
    Atomics.wait(gate, 0, BUSY, left)
  }
  return true
}
