# Runs PROGRAM and compares what it prints with the comment block that ends SOURCE:
#   // Output:
#   // first line
file(READ ${SOURCE} text)
string(FIND "${text}" "// Output:\n" start REVERSE)
if(start EQUAL -1)
  message(FATAL_ERROR "${SOURCE} does not end with an '// Output:' comment")
endif()
string(SUBSTRING "${text}" ${start} -1 expected)
string(REPLACE "// Output:\n" "" expected "${expected}")
string(REGEX REPLACE "(^|\n)// ?" "\\1" expected "${expected}")

execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE actual ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}\n${actual}${errors}")
endif()
if(NOT actual STREQUAL expected)
  message(FATAL_ERROR "${SOURCE}\n--- expected\n${expected}--- printed\n${actual}---")
endif()
