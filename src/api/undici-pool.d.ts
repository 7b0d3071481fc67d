// The part of undici that is used, by its file: its index loads fetch, WebSocket, caches and mocks too, a tenth of a small plan's time.

declare module "undici/lib/dispatcher/pool.js" {
  export { Pool as default } from "undici";
}
