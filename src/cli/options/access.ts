import type { Command, OptionValues } from "@commander-js/extra-typings";
import { UserError } from "../../core/text/errors.js";
import type { TlsOptions } from "../../core/model/index.js";
import type { EndpointOptions } from "../../protocol/index.js";
import { readNamedText } from "../../files/opener.js";
import { readTls } from "../../files/tls.js";
import { append, OPTIONS, type FlagsOf, type NoFlags } from "./shared.js";

export type Headers = { readonly [name: string]: string };

/** What the options below leave in a command's flags. */
export type AccessFlags = FlagsOf<typeof withAccessOptions<[], NoFlags>>;

/** Adds the options by which endpoints are reached that ask for credentials or certificates. */
export function withAccessOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return withAuthorityOption(
    command
      .optionsGroup("Credentials:")
      .option(
        "--header <'K: V'>",
        "header sent with every request; $NAME in the value is read from the environment (repeatable)",
        headerArgument,
      )
      .option("--header-file <file>", "file of headers, one 'K: V' per line (repeatable)", append),
  )
    .option("--cert <file>", "PEM file of the client's certificate, for servers that ask for one")
    .option("--key <file>", "PEM file of the certificate's key")
    .optionsGroup(OPTIONS);
}

/** Adds the option of authorities that are trusted besides the default ones. */
export function withAuthorityOption<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option(
    "--ca <file>",
    "PEM file of authorities to trust in addition to the default ones (repeatable)",
    append,
  );
}

/**
 * The endpoints with headers and certificates of the flags. `--header` wins over `--header-file`.
 * @throws UserError naming the file, never a value
 */
export async function endpointsWith(urls: readonly string[], flags: AccessFlags): Promise<readonly EndpointOptions[]> {
  const headers: { [name: string]: string } = {};
  for (const file of flags.headerFile ?? []) Object.assign(headers, await readHeaderFile(file));
  Object.assign(headers, flags.header);
  const tls = await tlsOf(flags);
  return urls.map((url) => ({
    url,
    enabled: true,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(tls === undefined ? {} : { tls }),
  }));
}

/** As `endpointsWith`, of one. */
export async function endpointWith(url: string, flags: AccessFlags): Promise<EndpointOptions> {
  const [endpoint] = await endpointsWith([url], flags);
  return endpoint ?? { url, enabled: true };
}

/**
 * Adds a repeated `--header 'K: V'` to those before it. `$NAME` and `${NAME}` in the value stand for a variable of the
 * environment, `$$` for a dollar sign, so that no secret has to be among the arguments, which every process can read.
 * @throws UserError without the value, which may be a secret; that of an InvalidArgumentError is printed
 */
export function headerArgument(text: string, before: Headers = {}): Headers {
  const { name, value } = headerOf(text) ?? {};
  if (name === undefined || value === undefined) throw new UserError("Write a header as 'Name: value'.");
  const filled = value.replace(/\$(?:\$|\{(\w+)\}|([A-Za-z_]\w*))/g, (dollars, braced?: string, bare?: string) => {
    const variable = braced ?? bare;
    if (variable === undefined) return dollars.slice(1);
    const found = process.env[variable];
    if (found === undefined)
      throw new UserError(
        `Header ${name} asks for $${variable}, which the environment does not have. Export it, or write $$ for a dollar sign.`,
      );
    return found;
  });
  if (/[\r\n\0]/.test(filled)) throw new UserError(`The value of header ${name} contains a line break.`);
  return { ...before, [name]: filled };
}

/** Values are taken as they stand; empty lines and those that begin with # are skipped. */
async function readHeaderFile(path: string): Promise<Headers> {
  const headers: { [name: string]: string } = {};
  const lines = (await readNamedText(path)).split(/\r?\n/);
  lines.forEach((line, i) => {
    if (line.trim() === "" || line.trimStart().startsWith("#")) return;
    const header = headerOf(line);
    if (header === undefined || /[\r\0]/.test(header.value))
      throw new UserError(`${path}, line ${i + 1}: write one header per line, as 'Name: value'.`);
    headers[header.name] = header.value;
  });
  return headers;
}

function headerOf(text: string): { readonly name: string; readonly value: string } | undefined {
  const colon = text.indexOf(":");
  const name = text.slice(0, colon).trim();
  if (colon <= 0 || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return undefined;
  return { name, value: text.slice(colon + 1).trim() };
}

async function tlsOf({ ca, cert, key }: AccessFlags): Promise<TlsOptions | undefined> {
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  if ((cert === undefined) !== (key === undefined))
    throw new UserError("a client's certificate needs both --cert and --key.");
  const files = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  return readTls(files, readNamedText);
}
