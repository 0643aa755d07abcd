/** The values of options, those with a label and those without. */
export function optionValues(options: unknown): readonly unknown[] {
  if (!Array.isArray(options)) return [];
  return options.map((option: unknown) =>
    typeof option === 'object' && option !== null && 'value' in option ? option.value : option,
  );
}
