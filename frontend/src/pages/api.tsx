/** `/api/docs`: the calls of the API, drawn from its own description. */

import { useTitle } from "../hooks/browser.ts";
import { fetchApi } from "../api/client.ts";
import { usePolled } from "../hooks/polling.ts";
import { listOperations, listSchemas, type Operation, type Schema } from "../lib/openapi.ts";
import { breakAfter } from "../components/breakable_text.tsx";
import { Inlines } from "../components/markdown.tsx";
import { Bars, Unavailable } from "../components/states.tsx";

export function ApiPage() {
  useTitle("API");
  const { phase, value, retry } = usePolled("openapi", fetchApi, () => null);
  return (
    <>
      <div class="hero">
        <h1>API</h1>
        <p class="lead">
          Hand in results, follow them, read what leads: from any machine, and from a page of any origin. The same as a
          file: <a href="/api/openapi.json">openapi.json</a>.
        </p>
      </div>
      {value === null ? (
        <Unavailable
          phase={phase === "ok" || phase === "stale" ? "loading" : phase}
          retry={retry}
          missing="The API does not describe itself here."
        >
          <Bars count={8} kind="row" />
        </Unavailable>
      ) : (
        <>
          {listOperations(value).map((operation) => (
            <Call key={operation.id} operation={operation} />
          ))}
          <h2>Shapes</h2>
          {listSchemas(value).map((schema) => (
            <Shape key={schema.name} schema={schema} />
          ))}
        </>
      )}
    </>
  );
}

const Call = ({ operation }: { readonly operation: Operation }) => (
  <section class="call" aria-labelledby={operation.id}>
    <h2 id={operation.id}>
      <span class={`method ${operation.method.toLowerCase()}`}>{operation.method}</span> <code>{breakAfter(operation.path, "/")}</code>
    </h2>
    {operation.summary !== "" && 
      <p>
        <Inlines text={operation.summary} />
      </p>
    }
    {operation.body !== null && (
      <p>
        <strong>Body:</strong> <Inlines text={operation.body} />
      </p>
    )}
    <div class="sides">
      {operation.parameters.length > 0 && (
        <Fields
          label={`Parameters of ${operation.method} ${operation.path}`}
          columns={["Parameter", "Type", "Meaning"]}
          rows={operation.parameters.map((one) => [
            one.name,
            `${one.type}, in the ${one.place}`,
            [one.required ? "Required." : "", one.description].filter(Boolean).join(" "),
          ])}
        />
      )}
      <Fields
        label={`Answers of ${operation.method} ${operation.path}`}
        columns={["Answer", "Shape", "Meaning"]}
        rows={operation.responses.map((one) => [one.status, one.type, one.description])}
      />
    </div>
  </section>
);

const Shape = ({ schema }: { readonly schema: Schema }) => (
  <details class="shape">
    <summary>
      <code>{schema.name}</code>{" "}
      <span class="fine">
        <Inlines text={schema.description} />
      </span>
    </summary>
    {schema.fields.length > 0 && (
      <Fields
        label={`Fields of ${schema.name}`}
        columns={["Field", "Type", "Meaning"]}
        rows={schema.fields.map((one) => [
          one.name,
          `${one.type}${one.required ? "" : ", may be absent"}`,
          one.description,
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
  <div class="scroller" tabIndex={0} role="group" aria-label={label}>
    <table class="data fields">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name = "", type = "", meaning = ""]) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>
              <code>{type}</code>
            </td>
            <td>
              <Inlines text={meaning} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
