/** Long words that may go on in the next line. */

/** Gives a text that may break after a mark. */
export const breakAfter = (text: string, mark: string) =>
  text.split(mark).map((piece, index) => (
    <>
      {index > 0 && mark}
      {index > 0 && <wbr />}
      {piece}
    </>
  ));
