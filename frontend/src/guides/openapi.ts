/** Reads the API's OpenAPI document for its page. */
import { fetchJson, type Fetched } from "../api/client.ts";
import { get } from "../api/views.ts";

const MAX_DEPTH = 8;

/** The parts of a schema that the page shows. */
interface JsonSchema {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string;
  readonly items?: JsonSchema;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

interface Described {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: JsonSchema;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly description?: string };
  readonly responses?: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

/** The document, as far as the page reads it. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export type Operation = ReturnType<typeof listOperations>[number];
export type Schema = ReturnType<typeof listSchemas>[number];

/** Return the operations in the document's order. */
export const listOperations = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      id: `${method}${path}`.replaceAll(/[^a-z0-9]+/gi, "-").replace(/-$/, ""),
      method: method.toUpperCase(),
      path,
      summary: describe(operation, `${method.toUpperCase()} ${path}`),
      parameters: (operation.parameters ?? []).map(({ name, in: place, required = false, schema, description }) => ({
        ...{ name, place, required },
        type: typeOf(schema),
        description: description ?? "",
      })),
      body: operation.requestBody ? operation.requestBody.description || "JSON" : null,
      responses: Object.entries(operation.responses ?? {}).map(([status, { description, content }]) => ({
        ...{ status, description },
        type: typeOf(Object.values(content ?? {})[0]?.schema),
      })),
    })),
  );

/** Return the named schemas with their fields. */
export const listSchemas = ({ components }: OpenApi) =>
  Object.entries(components.schemas).map(([name, { description = "", properties = {}, required = [] }]) => ({
    ...{ name, description },
    fields: Object.entries(properties).map(([field, property]) => ({
      name: field,
      type: typeOf(property),
      required: required.includes(field),
      description: property.description ?? "",
    })),
  }));

/** Return the summary of an operation, or its description if the summary only repeats the path. */
const describe = ({ summary = "", description = "" }: Described, call: string): string =>
  summary === "" || summary === call ? description : summary;

/** Return the type of a schema in one line, cut below MAX_DEPTH. */
function typeOf(schema: JsonSchema = {}, depth = 0): string {
  if (depth > MAX_DEPTH) return "…";
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((choice) => typeOf(choice, depth + 1)))].join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return schema.type === "array" && schema.items ? `${typeOf(schema.items, depth + 1)}[]` : (schema.type ?? "");
}

/** A page of the documentation: its title, and the rest as HTML. */
export interface Guide {
  readonly title: string;
  readonly html: string;
}

/** Fetch a guide, or what the API says of itself, with the addresses of this site. */
export const fetchGuide = (name: string, signal: AbortSignal): Promise<Fetched<Guide>> =>
  fetchJson(
    `/sdk/${name}.json`,
    { signal },
    (text) => JSON.parse(text.replaceAll("{site}", location.origin)) as unknown,
  );

export const fetchApi = (signal: AbortSignal) => get<OpenApi>("/api/openapi.json", null, signal);
