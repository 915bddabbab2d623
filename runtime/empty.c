/* Nothing yet. */
typedef int empty_translation_unit;
