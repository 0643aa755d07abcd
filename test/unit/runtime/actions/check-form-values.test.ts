import { describe, expect, it } from 'vitest';
import { checkFormValues } from '#runtime/actions/check-form-values';
import { type Element, evaluate, type Form } from '../../../helpers/evaluated-form.ts';

const file = { name: 'a.txt', mimeType: 'text/plain', buffer: new Uint8Array([1]) };

async function check(form: Form, sent: Record<string, unknown>) {
  await checkFormValues(await evaluate(form, { sent }), new Map(Object.entries(sent)));
}

const refused = (field: string, problem: string) => ({
  code: 'REQUEST_INVALID',
  message: expect.stringContaining(problem),
  details: { field },
});

describe('the values of a form', () => {
  it('may be left out for a field with the name of a member of every object', async () => {
    await expect(check([{ type: 'String', label: 'constructor' }], {})).resolves.toBeUndefined();
  });

  it.each<[string, object, unknown, string]>([
    ['String', {}, 1, 'a text'],
    ['Number', {}, '1', 'a number'],
    ['Number', {}, Number.NaN, 'a number'],
    ['Boolean', {}, 'true', 'true or false'],
    ['Date', {}, '2024-01-01', 'date with a time'],
    ['Dateonly', {}, '2024-02-30', 'YYYY-MM-DD'],
    ['Time', {}, '25:00', 'HH:MM:SS'],
    ['Enum', { enumValues: ['a', 'b'] }, 'c', 'one of "a", "b"'],
    ['EnumList', { enumValues: ['a', 'b'] }, ['a', 'c'], 'a list of "a", "b"'],
    ['EnumList', { enumValues: ['a', 'b'] }, 'a', 'a list of its values'],
    ['StringList', {}, ['a', 1], 'a list of texts'],
    ['NumberList', {}, [1, '2'], 'a list of numbers'],
    ['File', {}, 'a.txt', 'a file'],
    ['FileList', {}, [file, 'a.txt'], 'a list of files'],
    ['Collection', { collectionName: 'x' }, 'a', 'the key of a record'],
    ['String', { widget: 'Dropdown', options: ['a', { value: 'b', label: 'B' }] }, 'B', 'one of "a", "b"'],
    ['Number', { widget: 'RadioGroup', options: async () => [1, 2] }, 3, 'one of 1, 2'],
    ['StringList', { widget: 'CheckboxGroup', options: ['a'] }, ['a', 'b'], 'a list of "a"'],
    ['Number', { widget: 'NumberInput', min: 2 }, 1, 'at least 2'],
    ['NumberList', { widget: 'NumberInputList', max: async () => 2 }, [1, 3], 'at most 2'],
    ['Dateonly', { widget: 'DatePicker', min: '2024-02-01' }, '2024-01-31', 'at least 2024-02-01'],
    ['File', { widget: 'FilePicker', extensions: ['.png', 'jpg'] }, file, 'ends in .png, .jpg'],
    ['FileList', { widget: 'FilePicker', maxCount: 1 }, [file, file], 'at most 1 files'],
    ['File', { widget: 'FilePicker', maxSizeMb: 0.0000001 }, file, 'at most 1e-7 MB'],
  ])('must fit: %s %j refuses %j', async (type, more, value, problem) => {
    await expect(check([{ type, label: 'f', ...more } as Element], { f: value })).rejects.toMatchObject(
      refused('f', problem),
    );
  });

  it.each<[string, object, unknown]>([
    ['String', {}, 'x'],
    ['Number', {}, 1.5],
    ['Boolean', {}, false],
    ['Date', {}, '2024-01-01T10:00:00Z'],
    ['Dateonly', {}, '2024-01-01'],
    ['Time', {}, '10:30'],
    ['Enum', { enumValues: ['a'] }, 'a'],
    ['EnumList', { enumValues: async () => ['a', 'b'] }, ['b', 'a']],
    ['StringList', {}, ['a']],
    ['NumberList', {}, [1]],
    ['File', {}, file],
    ['FileList', {}, [file]],
    ['Json', {}, { a: [1] }],
    ['Collection', { collectionName: 'x' }, [1, 'b']],
    ['String', { widget: 'Dropdown', options: [{ value: 'b', label: 'B' }] }, 'b'],
    ['String', { widget: 'Dropdown', search: 'dynamic', options: () => [] }, 'found by searching'],
    ['Number', { widget: 'NumberInput', min: 2, max: 2 }, 2],
    ['Dateonly', { widget: 'DatePicker', min: '2024-02-01' }, '2024-02-01'],
    ['File', { widget: 'FilePicker', extensions: ['TXT'], maxSizeMb: 1 }, file],
  ])('are accepted where they fit: %s %j takes %j', async (type, more, value) => {
    await expect(check([{ type, label: 'f', ...more } as Element], { f: value })).resolves.toBeUndefined();
    await expect(check([{ type, label: 'f', ...more } as Element], { f: null })).resolves.toBeUndefined();
  });

  it.each([[{}], [{ f: null }], [{ f: '' }], [{ f: [] }]])('must be there for required fields: %j', async (sent) => {
    const field: Element = { type: 'StringList', label: 'f', isRequired: async () => true };
    await expect(check([field], sent)).rejects.toMatchObject(refused('f', 'is required'));
  });

  it('may be missing where the field has a default, is not required or is not shown', async () => {
    const form: Form = [
      { type: 'String', label: 'a', isRequired: true, defaultValue: 'x' },
      { type: 'String', label: 'b' },
      { type: 'String', label: 'c', isRequired: true, if: () => false },
    ];
    await expect(check(form, {})).resolves.toBeUndefined();
  });

  it('must belong to a field of the form, shown or not', async () => {
    const form: Form = [{ type: 'String', label: 'a', if: () => false }];
    await expect(check(form, { a: 'x' })).resolves.toBeUndefined();
    await expect(check(form, { b: 'x' })).rejects.toMatchObject(refused('b', 'does not exist'));
  });
});

describe('a read-only field', () => {
  const readOnly = (more: object): Form => [{ type: 'String', label: 'f', isReadOnly: () => true, ...more } as Element];

  it.each<[string, object, unknown]>([
    ['its default', { defaultValue: 'x' }, 'y'],
    ['the default a function gives', { defaultValue: async () => 'x' }, 'y'],
    ['the value it computes', { value: async () => 'x' }, 'y'],
    ['nothing', {}, 'y'],
  ])('refuses another value than %s', async (_what, more, sent) => {
    await expect(check(readOnly(more), { f: sent })).rejects.toMatchObject(refused('f', 'is read-only'));
  });

  it.each<[string, object, unknown]>([
    ['its default', { defaultValue: 'x' }, 'x'],
    ['the value it computes', { value: async () => 'x' }, 'x'],
    ['nothing', {}, null],
    ['the same instant, written differently', { type: 'Date', value: () => new Date(0) }, '1970-01-01T01:00:00+01:00'],
    [
      'the packed key of the record it picks',
      { type: 'Collection', collectionName: 'x', value: () => [1, 'b'] },
      '1|b',
    ],
    ['what a function keeps that changes it on some edits only', { value: () => undefined }, 'y'],
  ])('takes %s', async (_what, more, sent) => {
    await expect(check(readOnly(more), { f: sent })).resolves.toBeUndefined();
  });
});
