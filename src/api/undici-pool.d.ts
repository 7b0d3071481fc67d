// The parts of undici that are used, by their files: its index loads fetch, WebSocket, caches and mocks too, a tenth of a small plan's time.

declare module "undici/lib/dispatcher/pool.js" {
  export { Pool as default } from "undici";
}

declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher, Pool } from "undici";
  /** Sends a request through the pool that `this` is. */
  export default function request(this: Pool, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
}
