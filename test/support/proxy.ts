import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { connect, type AddressInfo } from "node:net";

/** A proxy that forwards http as it is asked to, and https through tunnels; `asked` has the request lines. */
export async function startProxy() {
  const asked: string[] = [];
  const forward = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const onward = httpRequest(request.url ?? "", { method: request.method ?? "GET", headers: request.headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.writeHead(502).end());
    request.pipe(onward);
  });
  forward.on("connect", (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    const [host, port] = (request.url ?? "").split(":");
    const onward = connect(Number(port), host === "localhost" ? "127.0.0.1" : host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on("error", () => socket.destroy());
  });
  await once(forward.listen(0, "127.0.0.1"), "listening");
  return {
    asked,
    url: `http://127.0.0.1:${(forward.address() as AddressInfo).port}`,
    close: () => {
      forward.closeAllConnections();
      return new Promise((resolve) => forward.close(resolve));
    },
  };
}
