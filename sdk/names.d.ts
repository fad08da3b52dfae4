/** Read a name, or a label, as a Laurel site shows it; without a fault the site takes it, if it is nobody else's. */
export declare function readName(
  name: string,
  options?: { isLabel?: boolean },
): { readonly shown: string; readonly fault: string | null; readonly message: string | null };
