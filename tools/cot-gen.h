/* What `cot-gen` writes of the table of options of `cot`: the man page, and the completions of
 * three shells. */
#ifndef TOOLS_COT_GEN_H
#define TOOLS_COT_GEN_H

int write_man(void);
int write_bash(void);
int write_zsh(void);
int write_fish(void);

#endif
