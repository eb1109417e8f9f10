import { createKey } from './keys.ts'
import { json, RequestFailure } from './reply.ts'
import type { Route } from './route.ts'

/**
 * Endpoints for keys and for the server's own state. As on the real server, figures are strings in metrics
 * and numbers in stats.
 */
export const serverRoutes: readonly Route[] = [
  {
    pattern: 'POST /keys',
    action: 'keys:create',
    answer: ({ store, body }) => json(createKey(store, body()), 201),
  },
  {
    pattern: 'GET /keys',
    action: 'keys:list',
    answer: ({ store }) =>
      json({ keys: store.keys.map(({ value, ...key }) => ({ ...key, value_prefix: value.slice(0, 4) })) }),
  },
  {
    pattern: 'DELETE /keys/:id',
    action: 'keys:delete',
    answer({ store, path }) {
      const index = store.keys.findIndex((key) => String(key.id) === path('id'))
      if (index === -1) throw new RequestFailure(404, 'Not found.')
      store.keys.splice(index, 1)
      return json({ id: Number(path('id')) })
    },
  },
  {
    pattern: 'GET /metrics.json',
    action: 'metrics.json:list',
    answer() {
      const { rss, heapTotal, heapUsed } = process.memoryUsage()
      const figures: Record<string, number> = {
        system_disk_total_bytes: 0,
        system_disk_used_bytes: 0,
        system_memory_total_bytes: 0,
        system_memory_total_swap_bytes: 0,
        system_memory_used_bytes: rss,
        system_memory_used_swap_bytes: 0,
        system_network_received_bytes: 0,
        system_network_sent_bytes: 0,
        typesense_memory_active_bytes: heapTotal,
        typesense_memory_allocated_bytes: heapUsed,
        typesense_memory_mapped_bytes: heapTotal,
        typesense_memory_metadata_bytes: 0,
        typesense_memory_resident_bytes: rss,
        typesense_memory_retained_bytes: 0,
      }
      return json({
        system_cpu1_active_percentage: '0.00',
        system_cpu2_active_percentage: '0.00',
        system_cpu_active_percentage: '0.00',
        typesense_memory_fragmentation_ratio: '0.00',
        ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)])),
      })
    },
  },
  {
    pattern: 'GET /stats.json',
    action: 'stats.json:list',
    answer: () =>
      json({
        cache_hit_ratio: 0,
        delete_latency_ms: 0,
        delete_requests_per_second: 0,
        import_latency_ms: 0,
        import_requests_per_second: 0,
        latency_ms: {},
        overloaded_requests_per_second: 0,
        pending_write_batches: 0,
        requests_per_second: {},
        search_latency_ms: 0,
        search_requests_per_second: 0,
        total_requests_per_second: 0,
        write_latency_ms: 0,
        write_requests_per_second: 0,
      }),
  },
  { pattern: 'GET /debug', action: 'debug:list', answer: () => json({ state: 1, version: '29.0' }) },
]
