/** Whether a parameter switches something on: anything but nothing, `0` and `false`, in any case. */
export function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && !['', '0', 'false'].includes(String(value).toLowerCase());
}
