/** A text that a spreadsheet would take for a formula; some take full-width signs for the usual ones. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

export function isFormula(text: string): boolean {
  return formula.test(text);
}

/** A text that a spreadsheet takes for a text. */
export function withoutFormula(text: string): string {
  return isFormula(text) ? `'${text}` : text;
}
