/** What is wrong, said at once. */

interface Props {
  readonly id?: string;
  readonly faults: readonly string[];
}

export const Faults = ({ id, faults }: Props) => (
  <div role="alert" id={id}>
    {faults.length > 0 && (
      <ul class="faults">
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    )}
  </div>
);
