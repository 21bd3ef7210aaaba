declare module "hyparquet-compressors/src/lz4.js" {
  export { decompressLz4, decompressLz4Raw } from "hyparquet-compressors";
}
