// The thread that lays out a map. Started by lay-out-in-thread.ts; it ends with its answer.
import { parentPort, workerData } from 'node:worker_threads'
import { layOut } from '../layout/lay-out.ts'
import type { Matrix } from '../layout/matrix.ts'
import type { WorkerReply } from './lay-out-in-thread.ts'

const port = parentPort!
const reply = (message: WorkerReply, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

let told = 0
const places = layOut(workerData as Matrix, (done) => {
  // Of 500 steps, each hundredth part is enough for a progress bar.
  if (done - told < 0.01) return
  told = done
  reply({ type: 'progress', done })
})
reply({ type: 'placed', places: places.values }, [places.values.buffer as ArrayBuffer])
