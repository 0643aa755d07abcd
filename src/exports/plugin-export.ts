export {
  type ExportFormat,
  type ExportRecordsOptions,
  exportRecords,
} from '#runtime/plugins/export/export-records';
export type { ExportColumn } from '#runtime/plugins/export/export-sheet';
