import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { Handler } from "./faulty-server.js";

/** Serves https on a free port with a self-signed certificate for localhost and 127.0.0.1. */
export async function serveTls(
  handler: Handler,
  options: ServerOptions = {},
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer({ key: KEY, cert: CERTIFICATE, ...options }, handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/* Made for these tests and used nowhere else; valid for a hundred years. */
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3dlz+t7qfX3hVobg
OS7T1ze4WWDaxs4AsOcjb45Jb8qhRANCAARswBpNxQe0lOVcxN/9Lqp2VYAF5GN2
6xww9gV9PPfHFZMp/N1+4Xgpp/JQB73+d83IlkYFcnuOQCfO4oh4/0zK
-----END PRIVATE KEY-----`;

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUCM01JOiAzpmvn3HFgYDMuzcz+NwwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA3MzUwMVoYDzIxMjYxMDI4
MDczNTAxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARswBpNxQe0lOVcxN/9Lqp2VYAF5GN26xww9gV9PPfHFZMp/N1+4Xgp
p/JQB73+d83IlkYFcnuOQCfO4oh4/0zKo28wbTAdBgNVHQ4EFgQUtaopI+KlSjEV
jBIkHCnpRhOmmmswHwYDVR0jBBgwFoAUtaopI+KlSjEVjBIkHCnpRhOmmmswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAOeKcL7nwRtrnwkR0vr2rKFY+6IfWjz1CVzIns4BTfxQAiBg
qyjdxJFXOkloCfyKRmF/Ps5JiHBU49Fe3qtEO4LjpA==
-----END CERTIFICATE-----`;
