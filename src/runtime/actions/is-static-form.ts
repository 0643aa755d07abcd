import { isDynamic } from '../customizer/any-form-element.ts';

/** Whether a form is known without being evaluated: nothing in it is a function or a promise, and no file is a default. */
export function isStaticForm(form: unknown): boolean {
  if (isDynamic(form)) return false;
  if (Array.isArray(form)) return form.every(isStaticForm);
  if (typeof form !== 'object' || form === null || form instanceof Date || ArrayBuffer.isView(form)) return true;
  const { type, defaultValue } = form as Readonly<Record<string, unknown>>;
  const isFile = type === 'File' || type === 'FileList';
  if (isFile && defaultValue !== undefined && defaultValue !== null) return false;
  return Object.values(form).every(isStaticForm);
}
