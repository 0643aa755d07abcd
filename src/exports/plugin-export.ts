/**
 * An action that gives records as a file.
 *
 * @module @vendor/cloud/plugin-export
 */

export {
  type ExportColumn,
  type ExportFormat,
  type ExportRecordsOptions,
  exportRecords,
} from '#runtime/plugins/export/export-records';
