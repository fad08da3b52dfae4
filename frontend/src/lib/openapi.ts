/** Reads an OpenAPI document for the API page. Parts of an unexpected shape are left out. */

const MAX_DEPTH = 8;

type Json = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly type: string;
  readonly description: string;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly body: string | null;
  readonly responses: readonly { readonly status: string; readonly description: string; readonly type: string }[];
}

export interface Schema {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly Omit<Parameter, "place">[];
}

/** Return the operations in the document's order. */
export function listOperations(document: unknown): readonly Operation[] {
  return entriesOf(read(document, "paths")).flatMap(([path, operations]) =>
    entriesOf(operations).map(([method, operation]) => ({
      id: `${method}${path}`.replaceAll(/[^a-z0-9]+/gi, "-").replace(/-$/, ""),
      method: method.toUpperCase(),
      path,
      summary: describe(operation, method, path),
      parameters: listOf(read(operation, "parameters")).map(readParameter),
      body: readBody(read(operation, "requestBody")),
      responses: entriesOf(read(operation, "responses")).map(([status, response]) => ({
        status,
        description: textOf(read(response, "description")),
        type: typeOf(readContent(response)),
      })),
    })),
  );
}

/** Return the named schemas with their fields. */
export function listSchemas(document: unknown): readonly Schema[] {
  return entriesOf(read(read(document, "components"), "schemas")).map(([name, schema]) => {
    const required = listOf(read(schema, "required"));
    return {
      name,
      description: textOf(read(schema, "description")),
      fields: entriesOf(read(schema, "properties")).map(([field, property]) => ({
        name: field,
        type: typeOf(property),
        required: required.includes(field),
        description: textOf(read(property, "description")),
      })),
    };
  });
}

/** Return the summary of an operation, or its description if the summary only repeats the path. */
function describe(operation: unknown, method: string, path: string): string {
  const summary = textOf(read(operation, "summary"));
  return summary !== "" && summary !== `${method.toUpperCase()} ${path}`
    ? summary
    : textOf(read(operation, "description"));
}

function readParameter(parameter: unknown): Parameter {
  return {
    name: textOf(read(parameter, "name")),
    place: textOf(read(parameter, "in")),
    required: read(parameter, "required") === true,
    type: typeOf(read(parameter, "schema")),
    description: textOf(read(parameter, "description")),
  };
}

function readBody(body: unknown): string | null {
  return body === undefined ? null : textOf(read(body, "description")) || "JSON";
}

function readContent(response: unknown): unknown {
  const [content] = entriesOf(read(response, "content"));
  return content && read(content[1], "schema");
}

/** Return the type of a schema in one line, cut below MAX_DEPTH. */
function typeOf(schema: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) return "…";
  const reference = textOf(read(schema, "$ref"));
  if (reference !== "") return reference.slice(reference.lastIndexOf("/") + 1);
  const choices = listOf(read(schema, "anyOf"));
  if (choices.length > 0) return [...new Set(choices.map((choice) => typeOf(choice, depth + 1)))].join(" | ");
  const values = listOf(read(schema, "enum"));
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (read(schema, "const") !== undefined) return JSON.stringify(read(schema, "const"));
  const type = textOf(read(schema, "type"));
  return type === "array" && read(schema, "items") ? `${typeOf(read(schema, "items"), depth + 1)}[]` : type;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const read = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
