/** `/api/docs`: the operations of the API, from its OpenAPI document. */

import { mix, say } from "../languages/say.ts";
import { breakableText } from "../ui/facts.tsx";
import { useTitle } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { Prose } from "../ui/prose.tsx";
import { Unavailable } from "../ui/states.tsx";
import { Table } from "../ui/table_head.tsx";
import { fetchApi, fetchGuide, listOperations, listSchemas, type Operation, type Schema } from "./openapi.ts";

export function ApiPage() {
  useTitle("API");
  const { phase, value, retry } = usePolled("openapi", fetchApi);
  const about = usePolled("api", (signal) => fetchGuide("api", signal));
  return (
    <>
      <div class="hero">
        <h1>API</h1>
        <p class="lead">
          {mix(
            "Submit results, follow them, and read the boards: from any machine, and from a page of any origin. The same as a file: {file}.",
            { file: <a href="/api/openapi.json">openapi.json</a> },
          )}
        </p>
      </div>
      {value === null ? (
        <Unavailable phase={phase} retry={retry} missing={say("There is no description of the API here.")} />
      ) : (
        <>
          <Prose html={about.value?.html ?? ""} />
          {listOperations(value).map((operation) => (
            <OperationSection key={operation.id} operation={operation} />
          ))}
          <h2>{say("Schemas")}</h2>
          {listSchemas(value).map((schema) => (
            <SchemaDetails key={schema.name} schema={schema} />
          ))}
        </>
      )}
    </>
  );
}

/** A text whose code is between backticks. */
const Text = ({ of }: { readonly of: string }) => (
  <>{of.split("`").map((piece, index) => (index % 2 === 0 ? piece : <code key={index}>{piece}</code>))}</>
);

const OperationSection = ({ operation }: { readonly operation: Operation }) => (
  <section class="call" aria-labelledby={operation.id}>
    <h2 id={operation.id}>
      <span class={`method ${operation.method.toLowerCase()}`}>{operation.method}</span>{" "}
      <code>{breakableText(operation.path, "/")}</code>
    </h2>
    {operation.summary !== "" && (
      <p>
        <Text of={operation.summary} />
      </p>
    )}
    {operation.body !== null && (
      <p>
        <strong>{say("Body:")}</strong> <Text of={operation.body} />
      </p>
    )}
    <div class="sides">
      {operation.parameters.length > 0 && (
        <Fields
          label={say("Parameters of {call}", { call: `${operation.method} ${operation.path}` })}
          columns={[say("Parameter"), say("Type"), say("Meaning")]}
          rows={operation.parameters.map(({ name, type, place, required, description }) => [
            name,
            `${type}, ${place}`,
            [required ? say("Required.") : "", description].filter(Boolean).join(" "),
          ])}
        />
      )}
      <Fields
        label={say("Responses of {call}", { call: `${operation.method} ${operation.path}` })}
        columns={[say("Status"), say("Schema"), say("Meaning")]}
        rows={operation.responses.map(({ status, type, description }) => [status, type, description])}
      />
    </div>
  </section>
);

const SchemaDetails = ({ schema }: { readonly schema: Schema }) => (
  <details class="shape">
    <summary>
      <code>{schema.name}</code>{" "}
      <span class="fine">
        <Text of={schema.description} />
      </span>
    </summary>
    {schema.fields.length > 0 && (
      <Fields
        label={say("Fields of {name}", { name: schema.name })}
        columns={[say("Field"), say("Type"), say("Meaning")]}
        rows={schema.fields.map(({ name, type, required, description }) => [
          name,
          `${type}${required ? "" : `, ${say("optional")}`}`,
          description,
        ])}
      />
    )}
  </details>
);

interface FieldsProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const Fields = ({ label, columns, rows }: FieldsProps) => (
  <Table
    label={label}
    kind="data fields"
    columns={columns}
    rows={rows.map(([name, type, meaning = ""]) => [<code>{name}</code>, <code>{type}</code>, <Text of={meaning} />])}
  />
);
